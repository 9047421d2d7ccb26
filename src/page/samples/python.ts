import { addressOf, type Call } from './call.js';

/** For Python 3 as it comes, without a package. @param baseUrl of the server. */
export function pythonSample(call: Call, baseUrl: string): string {
  const hasBody = call.body !== undefined;
  const json = hasBody || !call.text;
  const headers = [
    ...(hasBody ? ["'Content-Type': 'application/json'"] : []),
    ...Object.entries(call.headers).map(([name, value]) => `'${name}': ${literal(String(value), 0)}`),
  ];
  return [
    ...(json ? ['import json'] : []),
    'import urllib.request',
    '',
    ...(hasBody ? [`body = ${literal(call.body, 0)}`] : []),
    'request = urllib.request.Request(',
    `    ${literal(baseUrl + addressOf(call), 0)},`,
    ...(hasBody ? ['    data=json.dumps(body).encode(),'] : []),
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
    `    method='${call.method}',`,
    ')',
    'with urllib.request.urlopen(request) as answer:',
    call.text ? "    print(answer.read().decode('utf-8'))" : '    print(json.load(answer))',
    '',
  ].join('\n');
}

/** A value of JSON as Python writes it. @param depth of the lines that it goes over. */
function literal(value: unknown, depth: number): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'number') return String(value);
  // JSON's escapes mean the same in Python.
  if (typeof value === 'string') return JSON.stringify(value);
  const indent = '    '.repeat(depth + 1);
  const close = '    '.repeat(depth);
  if (Array.isArray(value))
    return value.length === 0
      ? '[]'
      : `[\n${value.map((item) => `${indent}${literal(item, depth + 1)},\n`).join('')}${close}]`;
  const fields = Object.entries(value as object);
  return fields.length === 0
    ? '{}'
    : `{\n${fields.map(([name, item]) => `${indent}${JSON.stringify(name)}: ${literal(item, depth + 1)},\n`).join('')}${close}}`;
}
