/** A page of a list, and the cursor of the next one; null after the last. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

/** Every item of a list that comes in pages; each page is asked for when its first item is wanted. */
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
