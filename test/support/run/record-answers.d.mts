/** Begins to write down what the surfaces of this process answer. @param folder gets one file of this process. */
export function recordAnswers(folder: string): () => void;
