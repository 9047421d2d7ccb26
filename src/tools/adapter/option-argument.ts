/**
 * An option with its value, as two arguments. A value that begins with a dash joins its option in one argument,
 * so that no parser takes it for an option of its own.
 */
export function optionArgument(option: string, value: string): string[] {
  return value.startsWith('-') ? [`${option}=${value}`] : [option, value];
}
