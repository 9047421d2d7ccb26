/** Names of fields that are never written, whatever they hold: they may hold prompts or secrets. */
const droppedNames: ReadonlySet<string> = new Set([
  'attachment',
  'attachments',
  'attachment_contents',
  'authorization',
  'bearer',
  'body',
  'body_content',
  'cookie',
  'cookies',
  'credential',
  'credentials',
  'credential_file',
  'credential_ref',
  'env',
  'environment',
  'password',
  'prompt',
  'raw_body',
  'raw_prompt',
  'refresh_token',
  'secret',
  'token',
]);
const droppedEndings = /_(?:authorization|body|cookie|credential|env|password|prompt|secret|token)$/;

const isDropped = (name: string): boolean => {
  const lower = name.toLowerCase();
  return droppedNames.has(lower) || droppedEndings.test(lower);
};

/** The same value without the fields that must not be written, at any depth. */
export function redactFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactFields);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isDropped(name))
      .map(([name, inner]) => [name, redactFields(inner)]),
  );
}
