// Compiled, never run: every line below a @ts-expect-error must not compile, all others must.
import type { OperationMethodsOf } from '../../../../sdk/dist/core/operation.js';
import type { Surface } from '../../../../sdk/dist/core/surface.js';
import { library, type Operations, type Paths } from './library-surface.js';

export async function refusedByTheCompiler(client: OperationMethodsOf<Operations>) {
  // @ts-expect-error no such operation
  await client.getHealth();
  // @ts-expect-error a missing body
  await client.lendBook({ path: { book: 'momo' } });
  // @ts-expect-error an unknown query parameter
  await client.listBooks({ query: { title: 'Momo' } });
  // @ts-expect-error a table with an operation missing
  library.routes satisfies Surface<Paths, Operations & { burnBook: Operations['lendBook'] }>['routes'];
  const elsewhere = { ...library.routes, listBooks: { method: 'GET', path: '/shelves' } } as const;
  // @ts-expect-error a path of another contract
  elsewhere satisfies Surface<Paths, Operations>['routes'];
}
