/** The role to send, or null when it says nothing. */
export function roleText(role: string | null): string | null {
  return role === null || role.trim() === '' ? null : role;
}
