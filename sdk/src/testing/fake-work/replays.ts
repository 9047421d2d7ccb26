import type { AnyAnswer } from '../fake-answer.js';
import type { FakeCall } from '../fake-surface.js';

/** The calls with an Idempotency-Key, and their answers. */
export class Replays {
  readonly #seen = new Map<string, { readonly body: string; readonly answer: AnyAnswer }>();

  /** Answers the same key with the same answer and one turn; with another body the call is refused. */
  once({ headers, method, path, body }: FakeCall, begin: () => AnyAnswer): AnyAnswer {
    const key = headers.get('Idempotency-Key');
    if (key === null) return begin();
    const place = `${method} ${path} ${key}`;
    const asked = JSON.stringify([body, headers.get('X-Houmao-Metadata')]);
    const before = this.#seen.get(place);
    if (before && before.body !== asked) return keyReused;
    if (before)
      return { ...before.answer, headers: { ...before.answer.headers, 'Idempotency-Replayed': 'true' } };
    const answer = begin();
    // A refused call uses up no key.
    if ((answer.status ?? 200) < 400) this.#seen.set(place, { body: asked, answer });
    return answer;
  }
}

const keyReused: AnyAnswer = {
  status: 422,
  body: { detail: 'The Idempotency-Key was used before with another body.' },
  errorCode: 'key_reused',
};
