/** What a call with an Idempotency-Key does once, for people: a request is queued, a message delivered, an agent launched. */
export type Deed = 'queued' | 'delivered' | 'begun' | 'launched' | 'sent' | 'added' | 'done';
