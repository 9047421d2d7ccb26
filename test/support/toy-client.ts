import { CallError } from '../../sdk/dist/core/call-error.js';
import type { Surface } from '../../sdk/dist/core/surface.js';
import { createSurfaceClient } from '../../sdk/dist/core/surface-client.js';
import { webEnvironment } from '../../sdk/dist/core/web-environment.js';

interface Json<Body> {
  content: { 'application/json': Body };
}
interface ToyOperations {
  toyHealth: {
    parameters: { query?: never; header?: never; path?: never };
    requestBody?: never;
    responses: { 200: Json<{ toys: number }> };
  };
  makeToy: {
    parameters: { query?: never; header?: never; path?: never };
    requestBody: Json<{ name: string }>;
    responses: { 201: Json<{ operation: string; body: { name: string } }> };
  };
}
interface ToyPaths {
  '/health': { get: ToyOperations['toyHealth'] };
  '/toys': { post: ToyOperations['makeToy'] };
}

class ToyError extends CallError<keyof ToyOperations> {
  override readonly name = 'ToyError';
}

const toys: Surface<ToyPaths, ToyOperations> = {
  servedBy: 'toy shop',
  version: { sdk: '1.0.0', contract: 'toys 1.0.0' },
  foreign: () => null,
  routes: {
    toyHealth: { method: 'GET', path: '/health', retry: 'safe' },
    makeToy: { method: 'POST', path: '/toys', retry: 'never' },
  },
  Failure: ToyError,
  environment: webEnvironment,
};

/** The SDK's client of the toy surface. */
export const createToyClient = (baseUrl: string, timeoutMs: number) =>
  createSurfaceClient(toys, { baseUrl, timeoutMs });
