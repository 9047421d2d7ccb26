import { expect, test } from 'vitest';
import { itemsOf } from '../../../../sdk/dist/core/pages.js';

const pages: Record<string, { items: string[]; next: string | null }> = {
  first: { items: ['a', 'b'], next: 'second' },
  second: { items: [], next: 'third' },
  third: { items: ['c'], next: null },
};

test('all pages come, an empty one among them, and each is read only when it is wanted', async () => {
  const read: (string | null)[] = [];
  const items = itemsOf(async (cursor) => {
    read.push(cursor);
    return pages[cursor ?? 'first']!;
  });
  expect((await items.next()).value).toBe('a');
  expect((await items.next()).value).toBe('b');
  expect(read).toEqual([null]);
  expect((await items.next()).value).toBe('c');
  expect(await items.next()).toEqual({ done: true, value: undefined });
  expect(read).toEqual([null, 'second', 'third']);
});
