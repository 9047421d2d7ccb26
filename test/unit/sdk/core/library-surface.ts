// A surface that the SDK has never heard of: types and table by hand, everything else from the core.
import { CallError } from '../../../../sdk/dist/core/call-error.js';
import { readFailure } from '../../../../sdk/dist/core/failed-fetch.js';
import type { Surface } from '../../../../sdk/dist/core/surface.js';

interface Book {
  title: string;
}
interface Json<Body> {
  content: { 'application/json': Body };
}

export interface Operations {
  listBooks: {
    parameters: { query?: { author?: string }; header?: never; path?: never };
    requestBody?: never;
    responses: { 200: Json<Book[]>; 500: Json<{ detail: string }> };
  };
  lendBook: {
    parameters: { query?: never; header?: never; path: { book: string } };
    requestBody: Json<{ days: number }>;
    responses: { 202: Json<{ until: string }>; 409: Json<{ detail: string }> };
  };
}

export interface Paths {
  '/books': { get: Operations['listBooks'] };
  '/books/{book}/loans': { post: Operations['lendBook'] };
}

export class LibraryError extends CallError<keyof Operations> {
  override readonly name = 'LibraryError';
}

export const library: Surface<Paths, Operations> = {
  servedBy: 'library',
  version: { sdk: '7.0.0', contract: 'library 2.1.0' },
  foreign: () => null,
  routes: {
    listBooks: { method: 'GET', path: '/books', retry: 'safe' },
    lendBook: { method: 'POST', path: '/books/{book}/loans', retry: 'never' },
  },
  Failure: LibraryError,
  environment: {
    findToken: async () => 'reader',
    obeysProxyVariables: () => false,
    runtime: 'reading room 3',
    readFailure,
    log: { level: () => 'off', print: () => undefined },
  },
};
