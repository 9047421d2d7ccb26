// The client of a gateway itself, and the gateway of an agent that is called through the server: the same tests are for both.
import { createGatewayClient, GatewayError, PromptFailed, TurnFailed } from '@houmao/sdk';
import {
  type AnyGateway,
  createHoumaoClient,
  HoumaoError,
  PromptFailed as PromptFailedAtServer,
  TurnFailed as TurnFailedAtServer,
  type WorkError,
} from '@houmao/sdk/managed-agent';
import { assert } from 'vitest';

interface Door {
  readonly door: string;
  /** The word for it in sentences. */
  readonly server: 'gateway' | 'server';
  readonly gatewayAt: (baseUrl: string) => AnyGateway;
  readonly PromptFailed: abstract new (...given: never[]) => WorkError;
  readonly TurnFailed: abstract new (...given: never[]) => WorkError;
  /** The name there of an operation of a gateway. */
  readonly idOf: (operation: string) => string;
  /** The error of this door that a call rejects with; anything else fails the test. */
  readonly caught: (call: Promise<unknown>) => Promise<WorkError>;
}

const caughtAs =
  (Failure: abstract new (...given: never[]) => WorkError) =>
  async (call: Promise<unknown>): Promise<WorkError> => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert(error instanceof Failure, `expected a ${Failure.name}, got ${String(error)}`);
    return error;
  };

export const bothDoors: readonly Door[] = [
  {
    door: 'the gateway itself',
    server: 'gateway',
    gatewayAt: (baseUrl) => createGatewayClient({ baseUrl, timeoutMs: 600_000 }),
    PromptFailed,
    TurnFailed,
    idOf: (operation) => operation,
    caught: caughtAs(GatewayError),
  },
  {
    door: 'the gateway of an agent at the server',
    server: 'server',
    gatewayAt: (baseUrl) => createHoumaoClient({ baseUrl, timeoutMs: 600_000 }).agent('alpha').gateway,
    PromptFailed: PromptFailedAtServer,
    TurnFailed: TurnFailedAtServer,
    idOf: (operation) => operation.replace(/^[a-z]+/, '$&Gateway'),
    caught: caughtAs(HoumaoError),
  },
];
