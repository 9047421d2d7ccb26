/**
 * Returns the reason why work in an unknown state of a newer server is not awaited: this version does not know whether the
 * state is an end.
 */
export const unknownState = (subject: 'Request' | 'Turn', id: string, state: string) => ({
  errorCode: 'unknown_state' as const,
  detail: `${subject} ${id} is in the state \`${state}\`, which this version of the SDK does not know.`,
});
