// Compiles what `@houmao/sdk/testing` has of a contract into sdk-testing/dist/: a check of every request and answer, and the
// contract's examples. Compiled ahead, a fake needs no package of ours, and no `eval`, which some places that run tests forbid.
// Its shape is `FakeContract` in sdk/src/testing/fake-contract.ts.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { _ } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { rolldown } from 'rolldown';
import { runtimeDocument } from '../../dist/src/http/contract/runtime-document.js';

const folder = join('sdk-testing', 'dist');
/** The surfaces that there is a fake of. */
const surfaces = ['gateway', 'managed-agent'];
const root = 'contract';
/** Formats of the contract: those of our own as the gateway checks them, the others as its library does. */
const formatsModule = `
import { fullFormats } from ${JSON.stringify(createRequire(import.meta.url).resolve('ajv-formats/dist/formats.js'))};
import { ownFormats } from ${JSON.stringify(join(process.cwd(), 'dist/src/http/contract/formats.js'))};
export const formats = { ...fullFormats, ...ownFormats };
`;

mkdirSync(folder, { recursive: true });
copyFileSync('LICENSE', join('sdk-testing', 'LICENSE'));
// Their shape is not for users: it may change with every version.
writeFileSync(
  join(folder, 'contract.d.cts'),
  'declare const contract: Readonly<Record<string, unknown>>;\nexport = contract;\n',
);
for (const surface of surfaces) {
  const document = JSON.parse(readFileSync(join('generated', surface, 'openapi.json'), 'utf8'));
  const validators = { body: validatorsOf(document, false), params: validatorsOf(document, 'array') };
  const table = tableOf(document, validators);
  await bundle(surface, {
    'formats.js': formatsModule,
    'body.cjs': validators.body.code(),
    'params.cjs': validators.params.code(),
    'contract.js': `import body from 'body.cjs';\nimport params from 'params.cjs';\nexport default ${table};\n`,
  });
}

/** Compiles each schema once. @param coerceTypes for parameters, which are texts on the wire. */
function validatorsOf(document, coerceTypes) {
  const formats = Object.fromEntries([...formatNames(document)].map((name) => [name, true]));
  const code = { source: true, formats: _`require('formats.js').formats` };
  const settings = { allErrors: true, strict: false, discriminator: true, inlineRefs: false };
  const ajv = new Ajv2020({ ...settings, coerceTypes, formats, code });
  ajv.addSchema({ $id: root, components: runtimeDocument(document).components });
  const names = new Map();
  return {
    nameOf(schema) {
      const key = JSON.stringify(schema).replaceAll('"#/components/', `"${root}#/components/`);
      if (!names.has(key)) {
        names.set(key, `v${names.size}`);
        ajv.addSchema(JSON.parse(key), names.get(key));
      }
      return names.get(key);
    },
    code: () => standalone.default(ajv, Object.fromEntries([...names.values()].map((name) => [name, name]))),
  };
}

function formatNames(node, found = new Set()) {
  if (typeof node !== 'object' || node === null) return found;
  if (typeof node.format === 'string') found.add(node.format);
  for (const inner of Object.values(node)) formatNames(inner, found);
  return found;
}

/** The text of an object: what is asked and answered, by operation. */
function tableOf(document, { body, params }) {
  const resolve = (node) =>
    typeof node?.$ref === 'string'
      ? resolve(
          node.$ref
            .slice(2)
            .split('/')
            .reduce((at, key) => at[unescaped(key)], document),
        )
      : node;
  const check = (kind, validators, schema) =>
    schema === undefined ? 'null' : `${kind}.${validators.nameOf(schema)}`;
  const contentOf = ({ content = {} }) => Object.entries(content)[0] ?? [null, {}];

  const parametersIn = (operation, place) => {
    const own = (operation.parameters ?? []).map(resolve).filter((each) => each.in === place);
    const required = own.filter((each) => each.required).map(({ name }) => nameIn(place, name));
    const properties = Object.fromEntries(own.map(({ name, schema }) => [nameIn(place, name), schema]));
    return check('params', params, {
      type: 'object',
      properties,
      required,
      // A request has more headers than the contract names.
      additionalProperties: place === 'header',
    });
  };
  const answerOf = (response) => {
    const [type, content] = contentOf(response);
    const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [name, resolve(header)]);
    const codes = headers.find(([name]) => name === 'X-Houmao-Error-Code')?.[1];
    const required = headers
      .filter(([, { required }]) => required)
      .map(([name, { example, schema }]) => [name, example ?? resolve(schema).const])
      .filter(([, value]) => value !== undefined);
    return object({
      type: JSON.stringify(type),
      check: check('body', body, content.schema),
      codes: JSON.stringify(codes === undefined ? [] : (resolve(codes.schema).enum ?? [])),
      examples: JSON.stringify(examplesOf(content)),
      headers: JSON.stringify(Object.fromEntries(required)),
    });
  };
  const examplesOf = ({ example, examples = {} }) =>
    example === undefined ? Object.values(examples).map((each) => resolve(each).value) : [example];

  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId }]) => operationId !== undefined)
      .map(([method, operation]) => {
        const { required = false, ...asked } = resolve(operation.requestBody) ?? {};
        const answers = Object.entries(operation.responses).map(([status, each]) => [
          status,
          answerOf(resolve(each)),
        ]);
        return [
          operation.operationId,
          object({
            method: JSON.stringify(method.toUpperCase()),
            path: JSON.stringify(path),
            pathCheck: parametersIn(operation, 'path'),
            queryCheck: parametersIn(operation, 'query'),
            headerCheck: parametersIn(operation, 'header'),
            bodyCheck: check('body', body, contentOf(asked)[1].schema),
            needsBody: String(required),
            answers: object(Object.fromEntries(answers)),
          }),
        ];
      }),
  );
  return object(Object.fromEntries(operations));
}

/** Headers have no case, and arrive in lower case. */
function nameIn(place, name) {
  return place === 'header' ? name.toLowerCase() : name;
}

function unescaped(key) {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

function object(texts) {
  const fields = Object.entries(texts).map(([name, text]) => `${JSON.stringify(name)}:${text}`);
  return `{${fields.join(',\n')}}`;
}

async function bundle(surface, modules) {
  const virtual = {
    name: 'virtual',
    resolveId: (id) => (id in modules ? id : null),
    load: (id) => modules[id] ?? null,
  };
  const made = await rolldown({ input: 'contract.js', plugins: [virtual], platform: 'neutral' });
  const file = join(folder, `${surface}.cjs`);
  const minify = { compress: true, mangle: true, codegen: { removeWhitespace: true } };
  await made.write({ file, format: 'cjs', exports: 'default', minify });
  await made.close();
}
