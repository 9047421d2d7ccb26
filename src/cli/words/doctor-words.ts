/**
 * Who says what is wrong with an agent. The doctor looks at files, so that it is asked on the machine that has them.
 *
 * @param server the flag that leads to the server that was asked, with a blank before it; empty where none was
 */
export const doctorWords = (name: string, server: string): string =>
  server === '' ? `houmao-mgr agents doctor ${name}` : `the doctor on the agent's machine`;
