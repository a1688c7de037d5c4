/** What a reader has filled in. */
export interface FormValues {
  /** Without white space around it; empty where nothing was filled in. */
  text(name: string): string;
  /** Undefined where nothing was filled in. */
  optional(name: string): string | undefined;
  number(name: string): number | undefined;
  isChecked(name: string): boolean;
  many(name: string): string[];
  /** A date and time of the reader's zone, as the exact instant that the node wants. */
  instant(name: string): string | undefined;
}

export const readForm = (form: HTMLFormElement): FormValues => {
  const data = new FormData(form);
  const text = (name: string): string => {
    const value = data.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const optional = (name: string): string | undefined => text(name) || undefined;
  return {
    text,
    optional,
    number: (name) => (text(name) === '' ? undefined : Number(text(name))),
    isChecked: (name) => data.has(name),
    many: (name) => data.getAll(name).filter((value): value is string => typeof value === 'string'),
    instant: (name) => {
      const given = optional(name);
      return given === undefined ? undefined : new Date(given).toISOString();
    },
  };
};
