/** See python-environment.mjs. */
export function pythonEnvironment(name: string, requirements: string, say: (text: string) => void): string;
