import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { type FaultServer, meaningOf, ServerFault, serverWords } from './server-fault.js';

/** A method, its arguments without the account, and a name for its answer. */
export type MethodCall = readonly [method: string, args: Readonly<Record<string, unknown>>, id: string];

/** Makes an argument that is taken from the result of an earlier call of the same request. */
export const resultOf = (id: string, method: string, path: string) => ({ resultOf: id, name: method, path });

const AnswerSchema = Type.Object({
  methodResponses: Type.Array(
    Type.Tuple([Type.String(), Type.Record(Type.String(), Type.Unknown()), Type.String()]),
  ),
});
/** Some of the changes were made, and the server does not say which (RFC 8620, section 3.6.2). */
const partly = 'serverPartialFail';
const ErrorSchema = Type.Object({
  type: Type.String(),
  description: Type.Optional(Type.Unknown()),
  /** The object that is in the way. */
  objectId: Type.Optional(Type.Unknown()),
});
const ObstacleSchema = Type.Object({ object: Type.String() });

/**
 * The answers to the calls of one request. They are found by call and method: an implicit call is
 * answered under the same name, too.
 */
export class MethodAnswers {
  readonly #server: FaultServer;
  readonly #answers: Static<typeof AnswerSchema>['methodResponses'];

  /** @throws {ServerFault} where `value` is no JMAP answer. */
  constructor(value: unknown, server: FaultServer) {
    if (!Value.Check(AnswerSchema, value))
      throw new ServerFault('server_refused', `${server.shown} gave no JMAP answer`, {
        outcomeUnknown: server.changes,
      });
    this.#server = server;
    this.#answers = value.methodResponses;
  }

  /** @throws {ServerFault} for an error of the method, and for an answer of another shape. */
  of<S extends TSchema>([method, , id]: MethodCall, schema: S): Static<S> {
    const answer = this.#answers.find(([name, , call]) => call === id && name === method);
    if (answer && Value.Check(schema, answer[1])) return answer[1] as Static<S>;
    const error = this.#answers.find(([name, , call]) => call === id && name === 'error')?.[1];
    if (error) throw this.refused(method, error);
    const first = answer && Value.Errors(schema, answer[1]).First();
    const field = first ? ` (field ${first.path})` : '';
    throw new ServerFault(
      'server_refused',
      `${this.#server.shown} gave no usable answer to ${method}${field}`,
      { outcomeUnknown: this.#server.changes },
    );
  }

  /** Makes the fault for an error of a method, or of one object of it. @param done the work that was requested, in words. */
  refused(done: string, error: unknown): ServerFault {
    const { shown, secrets } = this.#server;
    if (!Value.Check(ErrorSchema, error))
      return new ServerFault('server_refused', `${shown} refused ${done}, and did not say why`);
    const { type, description, objectId } = error;
    const meaning = meaningOf(type);
    const said = typeof description === 'string' ? serverWords(description, secrets) : null;
    const obstacle = Value.Check(ObstacleSchema, objectId)
      ? `a ${serverWords(objectId.object, secrets)}`
      : null;
    const words = [meaning, obstacle, said].filter((part) => part !== null).join('; ');
    const detail = `${shown} refused ${done}: ${serverWords(type, secrets)}${words && ` (${words})`}`;
    return new ServerFault('server_refused', detail, { type, outcomeUnknown: type === partly });
  }

  /** Makes the fault for a change that the server does not mention. @param what the object of the change. */
  unmentioned(what: string): ServerFault {
    const { shown } = this.#server;
    return new ServerFault('server_refused', `${shown} does not say what became of ${what}`, {
      outcomeUnknown: true,
    });
  }

  /** Returns the server's words, for a sentence of ours. */
  words(text: string): string {
    return serverWords(text, this.#server.secrets);
  }
}
