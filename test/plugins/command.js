// A command from outside the package.
export default ({ registerCommand }) => {
  registerCommand({
    name: 'greet',
    summary: 'greet somebody',
    run: (args) => console.log(`hello ${args.join(' ')}`),
  });
};
