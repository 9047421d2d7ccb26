/** How a program that serves a surface ends (docs/decisions.md#one-gateway-per-root). */
export const exitCodes = { clean: 0, badRoot: 1, usage: 2, port: 3, rootTaken: 4 } as const;
