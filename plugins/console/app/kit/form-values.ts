/** The values of a submitted form. */
export interface FormValues {
  /** Returns the trimmed text of a field; empty for an empty field. */
  text(name: string): string;
  /** Returns the text of a field; undefined for an empty field. */
  optional(name: string): string | undefined;
  number(name: string): number | undefined;
  isChecked(name: string): boolean;
  many(name: string): string[];
  /** Returns the UTC instant of a local date and time. */
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
