/** By which an answer that is no success says that it is done all the same (`true`), or that nobody knows (`unknown`). */
export const doneHeader = 'X-Houmao-Done';
