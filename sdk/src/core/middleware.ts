import type { Middleware } from 'openapi-fetch';

const hooks = ['onRequest', 'onResponse', 'onError'] as const;
type Hook = (typeof hooks)[number];
type AnyHook = (about: never) => unknown;

/**
 * An error that a hook threw, to distinguish it from failures of the connection: it says nothing about whether the request was
 * sent.
 */
export class HookFailure extends Error {
  readonly hook: Hook;

  constructor(hook: Hook, cause: unknown) {
    super(`${hook} of a middleware failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.hook = hook;
  }
}

/** The values that a hook may return besides undefined. */
const answers: Readonly<Record<Hook, readonly (typeof Request | typeof Response | typeof Error)[]>> = {
  onRequest: [Request, Response],
  onResponse: [Response],
  onError: [Response, Error],
};

/**
 * Returns the same hooks with their errors wrapped in a {@link HookFailure}. Throws a TypeError when it is no list of
 * middleware.
 */
export function guarded(middleware: readonly Middleware[] | undefined): Middleware[] {
  if (middleware === undefined) return [];
  const isList = Array.isArray(middleware) && middleware.every((one) => hooksOf(one).length > 0);
  if (isList) return middleware.map((one) => guard(one));
  throw new TypeError(
    'middleware must be a list of objects with onRequest, onResponse or onError, such as [{ onError: console.error }]',
  );
}

const hooksOf = (one: unknown): readonly Hook[] =>
  hooks.filter((hook) => typeof (one as Record<Hook, unknown> | null)?.[hook] === 'function');

function guard(one: Middleware): Middleware {
  const guardedHook = (hook: Hook) => async (about: never) => {
    try {
      const answer = await (one[hook] as AnyHook).call(one, about);
      const fitting = answers[hook];
      if (answer === undefined || fitting.some((kind) => answer instanceof kind)) return answer;
      throw new TypeError(`it must return a ${fitting.map(({ name }) => name).join(', a ')}, or nothing`);
    } catch (error) {
      throw new HookFailure(hook, error);
    }
  };
  return Object.fromEntries(hooksOf(one).map((hook) => [hook, guardedHook(hook)])) as unknown as Middleware;
}
