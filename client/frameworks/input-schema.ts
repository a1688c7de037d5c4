/** A schema of the input of a tool, in the form of Standard Schema with JSON Schema. */
export interface InputSchema<Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'fact-memory-node';
    readonly types?: { readonly input: Input; readonly output: Input } | undefined;
    readonly validate: (value: unknown) => { readonly value: Input } | { readonly issues: readonly Issue[] };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

interface Issue {
  readonly message: string;
}

interface Property {
  readonly type: readonly ('string' | 'number' | 'boolean')[];
  readonly description: string;
  readonly optional?: true;
}

/** Returns the schema of an object with these properties and no others. */
export const inputSchema = <Input>(properties: Readonly<Record<string, Property>>): InputSchema<Input> => {
  const entries = Object.entries(properties);
  const describe = (): Record<string, unknown> => ({
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { type, description }]) => [name, { type, description }])),
    required: entries.filter(([, { optional }]) => !optional).map(([name]) => name),
    additionalProperties: false,
  });
  const validate = (value: unknown) => {
    const given = { ...(value as Readonly<Record<string, unknown>> | null) };
    const issues = entries
      .filter(([name, { optional }]) => !(optional && given[name] === undefined))
      .filter(([name, { type }]) => !type.some((one) => typeof given[name] === one))
      .map(([name, { type }]) => ({ message: `"${name}" must be ${type.join(' or ')}` }));
    return issues.length === 0 ? { value: value as Input } : { issues };
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'fact-memory-node',
      validate,
      jsonSchema: { input: describe, output: describe },
    },
  };
};
