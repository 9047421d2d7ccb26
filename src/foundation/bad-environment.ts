/** A variable of the environment that this program was started with makes no sense; the message names it. */
export class BadEnvironment extends Error {
  override readonly name = 'BadEnvironment';
}
