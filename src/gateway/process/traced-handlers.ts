import type { Handlers } from '../../../generated/gateway/server/index.js';
import type { Tracing } from '../../telemetry/tracing.js';

/** The answer of a handler, as far as it names what the call began. */
interface Began {
  readonly body?: { readonly request_id?: string };
  readonly headers?: { readonly 'X-Houmao-Turn-Id'?: string };
}

/** Has the calls that give the agent a prompt note which request or turn they began. */
export function tracedHandlers(handlers: Handlers, { caused }: Pick<Tracing, 'caused'>): Handlers {
  const noting =
    <H extends (...given: never[]) => unknown>(handle: H) =>
    async (...given: Parameters<H>): Promise<unknown> => {
      const answer = (await handle(...given)) as Began;
      const id = answer.body?.request_id ?? answer.headers?.['X-Houmao-Turn-Id'];
      if (id !== undefined) caused(id);
      return answer;
    };
  return {
    ...handlers,
    submitRequest: noting(handlers.submitRequest) as Handlers['submitRequest'],
    controlPrompt: noting(handlers.controlPrompt) as Handlers['controlPrompt'],
  };
}
