export const Contradictions = () => <h1>Contradictions</h1>;
