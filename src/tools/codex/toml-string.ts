/** `text` as a TOML basic string, so that Codex reads it as text whatever it looks like. */
export function tomlString(text: string): string {
  // JSON escapes the same way, but leaves DEL and lone surrogates, which TOML does not allow.
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replaceAll('\u007F', '\\u007F');
}
