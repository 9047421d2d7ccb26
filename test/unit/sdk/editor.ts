// The view of an editor: the TypeScript language service is asked over the built types of the package.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect } from 'vitest';
import { withGroups } from '../../../sdk/src/core/groups.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const file = `${root}test/unit/sdk/program-in-an-editor.ts`;

export interface Editor {
  /** The comment that is shown near the end of `call`, where it is written for the first time. */
  hover(call: string): { text: string; tags: string[] };
  /** The mistakes in the program. */
  mistakes(): unknown[];
}

export function openEditor(source: string): Editor {
  const service = serviceOver(file, source);
  return {
    hover(call) {
      const start = source.indexOf(call);
      const info = service.getQuickInfoAtPosition(file, start + call.length - 2);
      const plain = (parts: ts.SymbolDisplayPart[] | undefined) => ts.displayPartsToString(parts);
      return {
        text: plain(info?.documentation),
        tags: (info?.tags ?? []).map((tag) => `@${tag.name} ${plain(tag.text)}`),
      };
    },
    mistakes: () =>
      [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(
        ({ messageText }) => messageText,
      ),
  };
}

/** The help that a method written by hand has to show: where it is called, and parts of its summary, errors and first parameter. */
export type Help = readonly [call: string, summary: string, errors: readonly string[], first: string];

/** Holds that an editor shows a summary, the parameters, the errors and an example of a method. */
export function expectHelp(hover: Editor['hover'], [call, summary, errors, first]: Help): void {
  const { text, tags } = hover(call);
  expect(text).toContain(summary);
  expect(tags[0]).toContain(first);
  expect(tags.find((tag) => tag.startsWith('@param options'))).toContain('`signal`');
  const throws = tags.filter((tag) => tag.startsWith('@throws')).join('\n');
  for (const error of errors) expect(throws).toContain(error);
  const method = /\w+(?=;?$)/.exec(call)![0];
  expect(tags.find((tag) => tag.startsWith('@example'))).toContain(`.${method}(`);
}

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
export interface Operation {
  id: string;
  path: string;
  summary: string;
  statuses: string[];
  inputs: string[];
}

/** The operations of a surface, with what an editor should say of each. */
export function operationsOf(surface: string): Operation[] {
  const path = `${root}generated/${surface}/openapi.json`;
  const { paths } = JSON.parse(readFileSync(path, 'utf8')) as Document;
  return Object.entries(paths)
    .flatMap(([path, item]) => Object.values(item).map((operation) => ({ path, ...operation })))
    .flatMap(({ path, operationId, summary = '', responses = {}, parameters = [], requestBody }) => {
      if (operationId === undefined) return [];
      const statuses = Object.keys(responses).filter((status) => Number(status) >= 400);
      const named = parameters.flatMap(({ name }) => name ?? []);
      return [
        { id: operationId, path, summary, statuses, inputs: [...named, ...(requestBody ? ['body'] : [])] },
      ];
    });
}

/** The short names that operations have in groups (`mail.send`). */
export function shortNamesOf(
  groups: Readonly<Record<string, RegExp>>,
  operations: readonly { readonly id: string }[],
): { name: string; id: string }[] {
  const ids = Object.fromEntries(operations.map(({ id }) => [id, id]));
  const named = withGroups<object, Record<string, Record<string, string>>>(groups, ids);
  return Object.entries(named)
    .filter(([group]) => group in groups)
    .flatMap(([group, names]) =>
      Object.entries(names).map(([name, id]) => ({ name: `${group}.${name}`, id })),
    );
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
