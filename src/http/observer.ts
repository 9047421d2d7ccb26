import type { RequestHandler, Response } from 'express';
import type { HttpObserver } from '../contract/http-observer.js';
import type { ValidationItem } from '../contract/validation-items.js';

/** What befell a request on its way, left on its response for the observer. */
interface Mishap {
  items?: readonly ValidationItem[];
  category?: string;
}
const mishaps = new WeakMap<Response, Mishap>();

export const noteInvalid = (response: Response, items: readonly ValidationItem[]): void =>
  void mishaps.set(response, { items });
export const noteFault = (response: Response, error: unknown): void =>
  void mishaps.set(response, { category: error instanceof Error ? error.constructor.name : typeof error });

/** Tells an observer of every request when its answer is sent. */
export function observe(observer: HttpObserver, requestIdOf: (response: Response) => string): RequestHandler {
  return (request, response, next) => {
    const begun = performance.now();
    const { method, path } = request;
    response.once('finish', () => {
      const answered = {
        method,
        path,
        status: response.statusCode,
        durationMs: Math.round(performance.now() - begun),
        requestId: requestIdOf(response),
      };
      const mishap = mishaps.get(response);
      if (mishap?.items) observer.invalid(answered, mishap.items);
      if (mishap?.category !== undefined) observer.failed(answered, mishap.category);
      else observer.answered(answered);
    });
    next();
  };
}
