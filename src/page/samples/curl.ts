import { addressOf, type Call } from './call.js';

/** For a shell. @param baseUrl of the server. */
export function curlSample(call: Call, baseUrl: string): string {
  const lines = [
    `curl -s ${call.method === 'GET' ? '' : `-X ${call.method} `}${quoted(baseUrl + addressOf(call))}`,
  ];
  for (const [name, value] of Object.entries(call.headers)) lines.push(`  -H ${quoted(`${name}: ${value}`)}`);
  if (call.body !== undefined) {
    lines.push(`  -H 'Content-Type: application/json'`);
    lines.push(`  -d ${quoted(JSON.stringify(call.body))}`);
  }
  return lines.join(' \\\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
