/** The refusal of an Idempotency-Key under which something else was asked for before. */
export const keyOfAnotherBody = 'The Idempotency-Key was used before with another body.';
