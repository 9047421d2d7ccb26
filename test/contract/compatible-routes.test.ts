import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { routes } from '../../generated/gateway/server/routes.js';
import { bundle, bundleOf, operations, type Part } from './support/bundle.js';

/** The routes of the older implementation that clients use (docs/decisions.md#compatible-shapes). */
const compatibleRoutes = [
  'GET /health',
  'GET /v1/status',
  'POST /v1/requests',
  'POST /v1/control/prompt',
  'POST /v1/control/send-keys',
  'GET /v1/control/tui/state',
  'GET /v1/control/tui/history',
  'POST /v1/control/tui/note-prompt',
  'GET /v1/control/headless/state',
  'POST /v1/control/headless/next-prompt-session',
  'POST /v1/reminders',
  'GET /v1/reminders',
  'GET /v1/reminders/{reminder_id}',
  'PUT /v1/reminders/{reminder_id}',
  'DELETE /v1/reminders/{reminder_id}',
  'GET /v1/mail/status',
  'POST /v1/mail/list',
  'POST /v1/mail/peek',
  'POST /v1/mail/read',
  'POST /v1/mail/send',
  'POST /v1/mail/post',
  'POST /v1/mail/reply',
  'POST /v1/mail/mark',
  'POST /v1/mail/move',
  'POST /v1/mail/archive',
  'GET /v1/mail-notifier',
  'PUT /v1/mail-notifier',
  'DELETE /v1/mail-notifier',
];
/** The routes that are ours (docs/decisions.md#additions). */
const additions = [
  'GET /v1/about',
  'GET /v1/requests',
  'GET /v1/requests/{request_id}',
  'DELETE /v1/requests/{request_id}',
  'GET /v1/turns/{turn_id}',
  'GET /v1/turns/{turn_id}/stream',
  'GET /v1/events',
  'GET /metrics',
  'GET /v1/usage',
  'GET /v1/control/queue',
  'PUT /v1/control/queue',
  'POST /v1/control/reconcile',
  'POST /v1/mail/attachment',
  'GET /v1/control/tui/dialog',
  'GET /v1/control/tui/screen',
  'POST /v1/control/tui/dialog',
];

describe('the routes', () => {
  test('are the compatible ones and our additions, no more and no fewer', () => {
    const present = operations.map(({ method, path }) => `${method} ${path}`);
    expect(present.sort()).toEqual([...compatibleRoutes, ...additions].sort());
  });

  test('are marked as additions exactly where they are not compatible ones', () => {
    const marked = operations
      .filter(({ addition }) => addition)
      .map(({ method, path }) => `${method} ${path}`);
    expect(marked.sort()).toEqual([...additions].sort());
  });

  test('are all in the generated table', () => {
    const table = Object.entries(routes).map(([id, { method, path }]) => `${id} ${method} ${path}`);
    const contract = operations.map(({ operationId, method, path }) => `${operationId} ${method} ${path}`);
    expect(table.sort()).toEqual(contract.sort());
  });

  test('mark headers of our own, sent and received', () => {
    const submission = bundle.paths['/v1/requests'].post;
    const prompt = bundle.paths['/v1/control/prompt'].post;
    const headers = [
      ...(submission.parameters as Part[]).map(
        ({ $ref }) => bundle.components.parameters[$ref.split('/').at(-1)],
      ),
      ...Object.values<Part>(submission.responses['202'].headers),
      ...Object.values<Part>(prompt.responses['200'].headers),
    ];
    expect(headers).toHaveLength(8);
    for (const header of headers) expect(header['x-houmao-addition']).toBe(true);
  });

  test('answer 202 for a submission, 204 also for a stream that was read, and 200 for everything else', () => {
    const successes = operations.map(({ operationId, statuses }) => [
      operationId,
      statuses.filter((status) => status.startsWith('2')).join(),
    ]);
    const others: Readonly<Record<string, string>> = { submitRequest: '202', streamTurn: '200,204' };
    for (const [id = '', status] of successes) expect([id, status]).toEqual([id, others[id] ?? '200']);
  });
});

/** Words under which a schema only says what must hold, not what an object is. */
const conditions = new Set(['if', 'then', 'else', 'not']);

function schemasWithin(node: Part, at: string, found: [string, Part][] = []): [string, Part][] {
  if (Array.isArray(node)) {
    for (const [index, inner] of node.entries()) schemasWithin(inner, `${at}/${index}`, found);
  } else if (node !== null && typeof node === 'object') {
    const types = [node.type].flat();
    if (
      types.includes('object') ||
      (node.properties && typeof node.properties === 'object' && !node.properties.type)
    )
      found.push([at, node]);
    for (const [key, inner] of Object.entries(node)) {
      if (conditions.has(key) || key === 'example' || key === 'examples' || key === 'default') continue;
      schemasWithin(inner, `${at}/${key}`, found);
    }
  }
  return found;
}

describe('the schemas', () => {
  const names = Object.keys(bundle.components.schemas);
  const files = [
    'control',
    'errors',
    'event-kinds',
    'events',
    'mail',
    'mail-notifier',
    'reminders',
    'requests',
    'status',
    'tui',
    'turn-parts',
    'turns',
    'usage',
  ];
  const written = (name: string): string[] =>
    Object.keys(
      parse(
        readFileSync(new URL(`../../openapi/components/${name}.yaml`, import.meta.url), 'utf8'),
      ) as object,
    );

  test('in the sources are all in use, and under their own names', () => {
    expect(names.sort()).toEqual(files.flatMap(written).sort());
  });

  test('that are shared answers and parameters are all in use, by one surface or the other', () => {
    expect(Object.keys(bundle.components.responses).sort()).toEqual(written('responses').sort());
    const used = [bundle, bundleOf('managed-agent')].map(({ components }) =>
      Object.keys(components.parameters),
    );
    expect(new Set(written('parameters'))).toEqual(new Set(used.flat()));
  });

  test('are closed, but for the context of a validation item, the data of events and three maps of one type', () => {
    const open = schemasWithin(bundle, '#').filter(([, schema]) => schema.additionalProperties !== false);
    const kinds: string[] = Object.values(bundle.components.schemas.GatewayEvent.discriminator.mapping);
    const ofEvents = new Set(
      kinds
        .map((at) => bundle.components.schemas[at.split('/').at(-1)!].properties.data.$ref)
        .filter((at) => at !== '#/components/schemas/OtherEventData'),
    );
    const inEvents = ['EventData', 'RequestResult', 'LostConversation'].map(
      (name) => `#/components/schemas/${name}`,
    );
    expect(Object.fromEntries(open.map(([at, schema]) => [at, schema.additionalProperties]))).toEqual({
      '#/components/schemas/TurnUsageAmounts': { type: 'number' },
      '#/components/schemas/PromptMetadata': expect.objectContaining({ type: 'string' }),
      '#/components/schemas/ValidationContext': true,
      '#/components/schemas/TerminalErrorDetails': expect.objectContaining({ type: 'string' }),
      ...Object.fromEntries([...ofEvents, ...inEvents].map((at) => [at, true])),
    });
    expect(ofEvents.size).toBeGreaterThan(20);
  });

  test('hold no object without a name', () => {
    const named = new Set(names.map((name) => `#/components/schemas/${name}`));
    const inline = schemasWithin(bundle, '#').filter(([at]) => !named.has(at));
    expect(inline.map(([at]) => at)).toEqual([]);
    expect(schemasWithin(bundle, '#').length).toBeGreaterThan(70);
  });
});
