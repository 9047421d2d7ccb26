/** A session or gateway could not be brought up; the message says why and what to do. */
export class LaunchFault extends Error {
  override readonly name = 'LaunchFault';
}
