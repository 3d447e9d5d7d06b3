/** Reads the documents of a YAML file as Kubernetes does: `yes` and `on` are true. */
import { configUnreadable } from './config-errors.ts';

export async function readYamlDocuments(text: string, file: string): Promise<readonly unknown[]> {
  const { parseAllDocuments } = await import('yaml');
  return [...parseAllDocuments(text, { version: '1.1' })].flatMap((document) => {
    const [error] = document.errors;
    if (error) throw configUnreadable({ file, reason: error.message }, error);
    if (document.contents === null) return []; // nothing but comments
    try {
      const value: unknown = document.toJS();
      return value === null ? [] : [value];
    } catch (error) {
      // For example, aliases that would expand to a huge document.
      const reason = error instanceof Error ? error.message : String(error);
      throw configUnreadable({ file, reason }, error);
    }
  });
}
