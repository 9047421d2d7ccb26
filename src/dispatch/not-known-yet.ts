/** What a caller is told of a prompt that is being handed over, or whose end nobody has found out: with what to ask again. */
export const notKnownYet = (turnId: string): string =>
  `Whether the agent has the prompt is not known yet; look up turn ${turnId}.`;
