import { GatewayError } from './gateway-error.js';
import type { Schemas } from './operation.js';

/**
 * The prompt was queued, but its turn brought no answer: it failed, was interrupted or was cancelled. `errorCode` and
 * `detail` are those of `record.error`; `status` is null, because no HTTP answer refused anything.
 */
export class PromptFailed extends GatewayError {
  override readonly name: string = 'PromptFailed';
  /** The request as it ended, with its turn. */
  readonly record: Schemas['RequestRecord'];

  constructor(record: Schemas['RequestRecord']) {
    super({
      status: null,
      errorCode: record.error?.code ?? record.state,
      detail: record.error?.detail ?? `Request ${record.request_id} ended as ${record.state}.`,
      operationId: 'submitRequest',
    });
    this.record = record;
  }
}
