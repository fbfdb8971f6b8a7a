g++ -std=c++20 -O3 -DNDEBUG -I${1:-/work/main/include} -I/work/main/bench -I/work/main -isystem /usr/include/eigen3 t.cpp -ltbb -o ${2:-t}
