/** The first `count` Unicode characters; a surrogate pair is one and is never cut in two. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  const plain = text.slice(0, count);
  if (!/[\ud800-\udfff]/.test(plain)) return plain;
  const rough = text.slice(0, count * 2);
  return Array.from(rough).slice(0, count).join('');
}
