// The statuses that the documents of the surfaces promise, held against those that their servers answered while the contract tests ran.

import { literally } from './promises.mjs';

/**
 * @typedef {import('./answered-statuses.d.mts').Answer} Answer
 * @typedef {import('./answered-statuses.d.mts').Rules} Rules
 *
 * @typedef {object} Operation
 * @property {string} id
 * @property {string} method
 * @property {RegExp} path
 * @property {boolean} body
 * @property {Record<string, { $ref?: string }>} responses
 *
 * @typedef {object} Promised
 * @property {string} name
 * @property {boolean} wall whether every operation has it, or every one with a body
 * @property {number} status
 * @property {Set<string>} ids of operations: an answer of any of them keeps it
 */

/**
 * @param {Record<string, { paths: object }>} documents by the name of the surface
 * @param {readonly Answer[]} answers
 * @param {Rules} rules
 * @returns {{ promises: number, findings: string[] }}
 */
export function compareAnswers(documents, answers, rules) {
  const surfaces = Object.entries(documents).map(([name, document]) => {
    const operations = operationsOf(document);
    return { name, operations, promises: promisesOf(name, operations, rules.alike) };
  });
  const promises = surfaces.flatMap((surface) => surface.promises);
  const kept = new Set();
  const unknown = new Set();
  for (const { surface, operation, status } of attributed(surfaces, answers)) {
    const fitting = surface.promises.filter(
      (promise) => promise.status === status && (operation ? promise.ids.has(operation.id) : promise.wall),
    );
    for (const { name } of fitting) kept.add(name);
    if (fitting.length === 0 && operation && !rules.ofHttp.includes(status))
      unknown.add(`${surface.name}: ${operation.id} answered ${status}, which its document does not have`);
  }
  const elsewhere = new Set(rules.elsewhere.map(({ promise }) => promise));
  const names = new Set(promises.map(({ name }) => name));
  const findings = [
    ...[...names]
      .filter((name) => !kept.has(name) && !elsewhere.has(name))
      .map((name) => `${name} is answered in no contract test`),
    ...[...unknown].sort(),
    ...[...elsewhere]
      .filter((name) => kept.has(name))
      .map((name) => `${name} is answered in a contract test and need not be held elsewhere`),
    ...[...elsewhere]
      .filter((name) => !names.has(name))
      .map((name) => `${name} is held elsewhere, and no document promises it`),
  ];
  return { promises: promises.length, findings };
}

/** @returns {Operation[]} */
function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody, responses }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path: patternOf(path),
      body: requestBody !== undefined,
      responses,
    })),
  );
}

function patternOf(path) {
  const literals = path.split(/\{[^{}]+\}/).map(literally);
  return new RegExp(`^${literals.join('[^/]+')}$`);
}

/**
 * A refusal that every operation has, or every one with a body, comes before the operation: one answer of any keeps it. So does one
 * of those that are alike. Everything else is a promise of one operation.
 * @param {readonly Operation[]} operations
 * @returns {Promised[]}
 */
function promisesOf(surface, operations, alike) {
  const withBody = operations.filter(({ body }) => body);
  const promises = new Map();
  for (const operation of operations)
    for (const [code, { $ref }] of Object.entries(operation.responses)) {
      const has = ({ responses }) => responses[code] !== undefined;
      const response = $ref?.split('/').at(-1);
      const [who, wall] =
        code >= '400' && operations.every(has)
          ? ['every operation', true]
          : code >= '400' && operation.body && withBody.every(has)
            ? ['every operation with a body', true]
            : alike.includes(response)
              ? [`one of ${response}`, false]
              : [operation.id, false];
      const name = `${surface}: ${who} ${code}`;
      if (!promises.has(name)) promises.set(name, { name, wall, status: Number(code), ids: new Set() });
      promises.get(name).ids.add(operation.id);
    }
  return [...promises.values()];
}

/** Says of each answer which surface and which operation it is of. What is of none is left out. */
function attributed(surfaces, answers) {
  const byServer = new Map();
  for (const answer of answers) {
    if (!byServer.has(answer.server)) byServer.set(answer.server, []);
    byServer.get(answer.server).push(answer);
  }
  return [...byServer.values()].flatMap((ofServer) => {
    const surface = surfaceOf(surfaces, ofServer);
    if (!surface) return [];
    return ofServer
      .map(({ method, path, status }) => ({
        surface,
        status,
        bare: path === null,
        operation: path === null ? null : operationOf(surface, method, path),
      }))
      .filter(({ operation, bare }) => bare || operation);
  });
}

function operationOf({ operations }, method, path) {
  const asked = method === 'HEAD' ? 'GET' : method;
  return operations.find((one) => one.method === asked && one.path.test(path));
}

/**
 * A few paths, such as `/health`, are of several surfaces, and a server may be asked for what another one has, which it answers with
 * 404. It is of the one most of whose operations it answered with something else.
 */
function surfaceOf(surfaces, answers) {
  const asked = answers.filter(({ path, status }) => path !== null && status !== 404);
  const counted = surfaces
    .map((surface) => ({
      surface,
      count: asked.filter(({ method, path }) => operationOf(surface, method, path)).length,
    }))
    .sort((a, b) => b.count - a.count);
  const [first, second] = counted;
  return first && first.count > (second?.count ?? 0) ? first.surface : null;
}
