#!/bin/bash
# Writes docs/results/ of the zero-cost scores and of ETAS from scores that the checks have found; scores nothing.
#   npm run build:tools && bash verify/tables/pages.sh DATA RUNS
# RUNS has language.jsonl, nb201.jsonl, vision.jsonl and the folder etas as the checks made them.
set -euo pipefail
data=$1 runs=$2 out=docs/results
page() { # file, title, commands, what is to be known
  local file=$out/$1.md
  { printf '# %s\n\n%s\n\nMade by\n\n```sh\n%s\n```\n\n' "$2" "$4" "$3"; cat; } >"$file.new" && mv "$file.new" "$file"
}
node build/verify/tables/proxies-nasbench201.js "$data" "$runs/nb201.jsonl" --seconds 0 |
  page proxies-nasbench201 'Zero-cost scores of NAS-Bench-201 beside published ones' \
    'npm run build:tools && node build/verify/tables/proxies-nasbench201.js DATA nb201.jsonl' \
    'Ours of 64 images of Gaussian noise with drawn labels, those of NAS-Bench-Suite-Zero of 64 images of CIFAR-10, at
weights of draws of their own; one seed.'
{
  node build/verify/tables/proxies-language.js "$data" "$runs/language.jsonl" --seconds 0 --set lts-gpt2
  echo
  node build/verify/tables/proxies-language.js "$data" "$runs/language.jsonl" --seconds 0 --set lts-gpt2 \
    --tokens 32 --vocabulary 1000
  echo
  node build/verify/tables/proxies-language.js "$data" "$runs/language.jsonl" --seconds 0 --set hwgpt-s
  for set in transformer-xl transformer-xl-homogeneous; do
    echo
    node build/verify/tables/proxies-language.js "$data" "$runs/language.jsonl" --seconds 0 --set $set
  done
} |
  page proxies-language 'Zero-cost scores of language models against their perplexity' \
    'npm run build:tools && node build/verify/tables/proxies-language.js DATA language.jsonl --set lts-gpt2' \
    'GPT-2 and Transformer-XL of Lite Transformer Search were trained on WikiText-103; the networks of HW-GPT-Bench S have
weights of a supernet. The paper is ETAS, Table 3. Scores of n tokens (n192) and, where that is said, of a vocabulary of
another size (v1000); one seed of weights and samples.'
node build/verify/tables/proxies-vision.js "$data" "$runs/vision.jsonl" --seconds 0 |
  page proxies-vision 'Zero-cost scores of vision transformers against their accuracy' \
    'npm run build:tools && node build/verify/tables/proxies-vision.js DATA vision.jsonl --seeds 5' \
    'AutoFormer-Tiny and PiT. The paper is ETAS, Table 1.'
page etas 'ETAS on tables' \
  'npm run build:tools && node build/verify/tables/etas.js DATA etas --scores language.jsonl' \
  'The best value found after so many evaluations, mean ± standard deviation over seeds; plots show the mean and
where four fifths of the seeds lie. Searches are of the networks of a
table, so that the 300 networks of the pool of ETAS are all those of LTS and more than half of those of HW-GPT-Bench, and
it can begin with the best of nearly all scores; `small` has a pool of 30 and 10 candidates a round. On NAS-Bench-201, which
has no attention, scores are the published ones and NTSR is not among them: SEPT is of transformers.' <"$runs/etas/etas.md"
for plot in "$runs"/etas/*.svg; do
  cp "$plot" $out/
  printf '\n![%s](%s)\n' "$(basename "$plot" .svg)" "$(basename "$plot")" >>$out/etas.md
done
