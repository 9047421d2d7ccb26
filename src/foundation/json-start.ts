/**
 * The first characters of a value as JSON: all of it when it has at most `count`, else more than `count` of them. What is
 * large or deep beyond that is never looked at.
 */
export function jsonStart(value: unknown, count: number): string {
  let text = '';
  const write = (inner: unknown): void => {
    if (text.length > count) return;
    if (Array.isArray(inner)) writeArray(inner);
    else if (inner !== null && typeof inner === 'object') writeObject(inner as Record<string, unknown>);
    else if (typeof inner === 'string') text += JSON.stringify(inner.slice(0, count + 1));
    else text += JSON.stringify(inner) ?? 'null';
  };
  const writeArray = (list: readonly unknown[]): void => {
    text += '[';
    for (let index = 0; index < list.length && text.length <= count; index += 1) {
      if (index > 0) text += ',';
      write(list[index]);
    }
    text += ']';
  };
  const writeObject = (object: Readonly<Record<string, unknown>>): void => {
    text += '{';
    let first = true;
    for (const key of Object.keys(object)) {
      if (text.length > count) break;
      text += `${first ? '' : ','}${JSON.stringify(key.slice(0, count + 1))}:`;
      first = false;
      write(object[key]);
    }
    text += '}';
  };
  write(value);
  return text;
}
