/** The error of a request or turn that failed because of a fault in the gateway. */
export const internalFault = (error: Error): { code: 'internal_fault'; detail: string } => ({
  code: 'internal_fault',
  detail: `The gateway met a fault: ${error.message}`,
});
