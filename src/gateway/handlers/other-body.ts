import type { ValidationItem } from '../../contract/validation-items.js';

/** The refusal of an Idempotency-Key that was used before with another body. */
export const otherBody = (key: string | null): ValidationItem => ({
  type: 'value_error',
  loc: ['header', 'Idempotency-Key'],
  msg: 'Value error, was used before with another body',
  input: key,
  ctx: { error: {} },
});
