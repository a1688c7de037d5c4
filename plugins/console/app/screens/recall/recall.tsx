export const Recall = () => <h1>Recall</h1>;
