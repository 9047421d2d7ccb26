// What an editor shows: the TypeScript language service is asked over the built types of the package.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const operations = operationsOf(`${root}generated/gateway/openapi.json`);
const file = `${root}test/unit/sdk/gateway/program-in-an-editor.ts`;
const calls = operations.map(({ id }) => `client.${id}`);
const source = [
  `import { createGatewayClient } from '@houmao/sdk';`,
  `const client = createGatewayClient({ baseUrl: 'http://127.0.0.1:1' });`,
  `await client.submitRequest({ body: { kind: 'interrupt', payload: {} } });`,
  `await client.prompt('hi');`,
  `await client.request('gwreq-1').answer();`,
  ...calls.map((call) => `${call};`),
].join('\n');
const service = serviceOver(file, source);

interface Document {
  paths: Record<string, Record<string, Partial<Declared>>>;
}
interface Declared {
  operationId: string;
  summary: string;
  parameters: { name?: string }[];
  requestBody: object;
  responses: object;
}
interface Operation {
  id: string;
  summary: string;
  statuses: string[];
  inputs: string[];
}

function operationsOf(path: string): Operation[] {
  const { paths } = JSON.parse(readFileSync(path, 'utf8')) as Document;
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ operationId, summary = '', responses = {}, parameters = [], requestBody }) => {
      if (operationId === undefined) return [];
      const statuses = Object.keys(responses).filter((status) => Number(status) >= 400);
      const named = parameters.flatMap(({ name }) => name ?? []);
      return [{ id: operationId, summary, statuses, inputs: [...named, ...(requestBody ? ['body'] : [])] }];
    });
}

function serviceOver(name: string, text: string): ts.LanguageService {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    types: [],
  };
  const snapshot = (path: string) => (path === name ? text : ts.sys.readFile(path));
  return ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [name],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const content = snapshot(path);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (path) => path === name || ts.sys.fileExists(path),
    readFile: snapshot,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    realpath: (path) => ts.sys.realpath!(path),
  });
}

/** The comment that an editor shows near the end of `call`, where it is written for the nth time. */
function hover(call: string): { text: string; tags: string[] } {
  const start = source.indexOf(call);
  const info = service.getQuickInfoAtPosition(file, start + call.length - 2);
  const plain = (parts: ts.SymbolDisplayPart[] | undefined) => ts.displayPartsToString(parts);
  return {
    text: plain(info?.documentation),
    tags: (info?.tags ?? []).map((tag) => `@${tag.name} ${plain(tag.text)}`),
  };
}

test('there are operations to show', () => expect(operations.length).toBeGreaterThan(30));

test('the program is right, so what is shown is shown to users', () => {
  const found = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)];
  expect(found.map(({ messageText }) => messageText)).toEqual([]);
});

test.each(operations)(
  '$id says on hover what it does, takes and throws',
  ({ id, summary, statuses, inputs }) => {
    const { text, tags } = hover(`client.${id};`);
    expect(text).toContain(summary);
    const throws = tags.filter((tag) => tag.startsWith('@throws')).join('\n');
    for (const status of statuses) expect(throws).toContain(status);
    const options = tags.find((tag) => tag.startsWith('@param options')) ?? '';
    for (const input of inputs) expect(options).toContain(input);
  },
);

test('a call shows the same as its name does', () => {
  const { text, tags } = hover('client.submitRequest');
  expect(text).toMatch(/^Queue a prompt or an interrupt\.\n\nAnswers 202 when the request is on disk;/);
  expect(text).toContain('`POST /v1/requests`');
  expect(tags.join('\n')).toMatch(/@param options -?\s*- `headers\['Idempotency-Key'\]`: 1 to 255/);
  expect(tags).toContainEqual(expect.stringMatching(/^@throws 409: /));
  expect(tags).toContainEqual(expect.stringMatching(/^@throws .*401.*500: as every operation\.$/));
  expect(text).not.toContain('Send an `Idempotency-Key`');
});

test('path parameters are named', () => {
  expect(hover('client.getRequest;').tags.join('\n')).toContain('`path.request_id`');
});

test('what is written by hand is shown too', () => {
  expect(hover('client.prompt').text).toContain('Queues a prompt, waits, and returns');
  expect(hover(`client.request('gwreq-1').answer`).text).toContain('Waits for the request to end');
});
