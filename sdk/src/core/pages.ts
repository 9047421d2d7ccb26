/** A page of a list, and the cursor of the next one; null after the last page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** Yields every item of a list that comes in pages; each page is requested when its first item is needed. */
export async function* itemsOf<Item>(
  read: (cursor: string | null) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await read(cursor);
    yield* page.items;
    cursor = page.next;
  } while (cursor !== null);
}
