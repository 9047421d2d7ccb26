import type { SdkClient } from '../contract/contract-document.js';
import type { Call } from './call.js';

/** For the SDK. @param baseUrl of the server. */
export function typescriptSample(call: Call, baseUrl: string, { module, create }: SdkClient): string {
  const parts = [
    ...part('path', call.pathValues),
    ...part('query', call.query),
    ...part('headers', call.headers),
    ...(call.body === undefined ? [] : [`  body: ${literal(call.body, 1)},`]),
  ];
  const given = parts.length === 0 ? '' : `{\n${parts.join('\n')}\n}`;
  return [
    `import { ${create} } from '${module}';`,
    '',
    `const client = ${create}({ baseUrl: ${text(baseUrl)} });`,
    `console.log(await client.${call.operationId}(${given}));`,
    '',
  ].join('\n');
}

const part = (name: string, values: Readonly<Record<string, unknown>>): string[] =>
  Object.keys(values).length === 0 ? [] : [`  ${name}: ${literal(values, 1)},`];

function literal(value: unknown, depth: number): string {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, depth)).join(', ')}]`;
  const fields = Object.entries(value).map(([name, item]) => `${key(name)}: ${literal(item, depth + 1)}`);
  const line = `{ ${fields.join(', ')} }`;
  if (fields.length === 0) return '{}';
  const indent = '  '.repeat(depth);
  return line.length <= 80 && !line.includes('\n')
    ? line
    : `{\n${fields.map((field) => `${indent}  ${field},\n`).join('')}${indent}}`;
}

const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : text(name));
const text = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
