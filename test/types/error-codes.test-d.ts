import {
  type ErrorCode,
  type GatewayErrorCode,
  isGatewayError,
  type PromptFailed,
  type TurnFailed,
} from '@houmao/sdk';
import {
  type HoumaoErrorCode,
  isHoumaoError,
  type ErrorCode as ServerErrorCode,
  type TurnFailed as ServerTurnFailed,
} from '@houmao/sdk/managed-agent';
import { expectTypeOf, test } from 'vitest';

type Always = 'token_refused' | 'caller_refused' | 'host_refused' | 'headers_too_large' | 'internal_fault';

test('an operation has the codes of its contract, and no others', () => {
  expectTypeOf<ErrorCode<'cancelRequest'>>().toEqualTypeOf<
    Always | 'unknown_request' | 'request_not_waiting' | 'validation_failed' | 'unavailable'
  >();
  expectTypeOf<ServerErrorCode<'getTurn'>>().toEqualTypeOf<
    | Always
    | 'unknown_agent'
    | 'unknown_turn'
    | 'ambiguous_agent'
    | 'not_headless'
    | 'validation_failed'
    | 'unavailable'
    | 'fleet_offline'
    | 'host_away'
  >();
});

test('a word that never occurs does not compile', () => {
  expectTypeOf<'not_redy'>().not.toExtend<GatewayErrorCode>();
  expectTypeOf<'not_redy'>().not.toExtend<HoumaoErrorCode>();
  expectTypeOf<'turn_time_limit' | 'unknown_state' | 'http_502'>().toExtend<GatewayErrorCode>();
});

test('the outcome of work is named by codes of work alone', () => {
  for (const code of ['turn_time_limit', 'cancelled', 'unknown_state'] as const) {
    expectTypeOf(code).toExtend<PromptFailed['errorCode']>();
    expectTypeOf(code).toExtend<TurnFailed['errorCode']>();
    expectTypeOf(code).toExtend<ServerTurnFailed['errorCode']>();
  }
  for (const refusal of ['host_refused', 'timeout', 'not_redy'] as const) {
    expectTypeOf(refusal).not.toExtend<PromptFailed['errorCode']>();
    expectTypeOf(refusal).not.toExtend<TurnFailed['errorCode']>();
    expectTypeOf(refusal).not.toExtend<ServerTurnFailed['errorCode']>();
  }
});

test('an error of one operation is narrowed to its words', (error: unknown) => {
  if (isGatewayError(error, 'cancelRequest')) {
    expectTypeOf(error.operationId).toEqualTypeOf<'cancelRequest'>();
    // @ts-expect-error: an event number is nothing that this operation looks up.
    if (error.errorCode === 'no_such_event') return;
  }
  if (isGatewayError(error)) expectTypeOf(error.errorCode).toEqualTypeOf<GatewayErrorCode>();
  if (isHoumaoError(error)) expectTypeOf(error.errorCode).toEqualTypeOf<HoumaoErrorCode>();
});
