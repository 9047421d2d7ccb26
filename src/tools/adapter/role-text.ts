/** The role to send, or null when it is empty. */
export function roleText(role: string | null): string | null {
  return role === null || role.trim() === '' ? null : role;
}
