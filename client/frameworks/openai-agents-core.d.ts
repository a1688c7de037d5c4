/**
 * The types of `@openai/agents-core` that the session uses, so that the build does not need the package. Programs see
 * the types of the package that they installed.
 */
declare module '@openai/agents-core' {
  export interface AgentInputItem {
    readonly type?: string;
  }
  export interface Session {
    getSessionId(): Promise<string>;
    getItems(limit?: number): Promise<AgentInputItem[]>;
    addItems(items: AgentInputItem[]): Promise<void>;
    popItem(): Promise<AgentInputItem | undefined>;
    clearSession(): Promise<void>;
  }
}
