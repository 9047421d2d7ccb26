/** Why work is not waited for that a newer server put into a state of its own: nobody here can tell whether it is an end. */
export const unknownState = (subject: 'Request' | 'Turn', id: string, state: string) => ({
  errorCode: 'unknown_state' as const,
  detail: `${subject} ${id} is in the state \`${state}\`, which this version of the SDK does not know.`,
});
