// SPDX-License-Identifier: Apache-2.0
// Diagrams as the compiler of Xcos takes them: block models, regular links and activation links by number.

function d = new_diagram()
    d = struct("blocks", list(), "links", zeros(0, 4), "events", zeros(0, 4), "idle", 0);
endfunction

function [d, id] = add_block(d, model)
    d.blocks($ + 1) = model;
    id = size(d.blocks);
endfunction

function d = connect(d, from, from_port, to, to_port)
    d.links($ + 1, :) = [from, from_port, to, to_port];
endfunction

function d = activate(d, from, to)
    d.events($ + 1, :) = [from, 1, to, 1];
endfunction

function [d, id] = add_constant(d, value)
    block = CONST_m("define");
    block.model.rpar = value;
    [d, id] = add_block(d, block.model);
endfunction

function [d, id] = add_gain(d, k)
    block = GAINBLK("define");
    block.model.rpar = k;
    block.model.in = 1; block.model.out = 1; block.model.in2 = 1; block.model.out2 = 1;
    [d, id] = add_block(d, block.model);
endfunction

function [d, id] = add_sum(d, signs)
    block = SUMMATION("define");
    n = size(signs, "*");
    block.model.ipar = signs(:);
    block.model.in = ones(n, 1); block.model.in2 = ones(n, 1); block.model.out = 1; block.model.out2 = 1;
    block.model.intyp = ones(n, 1);
    block.model.dep_ut = [%t %f];
    [d, id] = add_block(d, block.model);
endfunction

function [d, id] = add_product(d)
    block = PRODUCT("define");
    block.model.ipar = [1; 1];
    block.model.in = [1; 1]; block.model.in2 = [1; 1]; block.model.out = 1; block.model.out2 = 1;
    [d, id] = add_block(d, block.model);
endfunction

function [d, id] = add_integral(d, x0, reset)
    block = INTEGRAL_m("define");
    block.model.state = x0;
    if reset then
        block.model.in = [1; 1]; block.model.in2 = [1; 1]; block.model.intyp = [1; 1]; block.model.evtin = 1;
    end
    [d, id] = add_block(d, block.model);
endfunction

function [d, id] = add_lag(d)
    block = CLR("define");  // 1 / (1 + 0.1 s): x' = -10 x + 10 u, y = x
    block.model.state = 0;
    block.model.rpar = [-10; 10; 1; 0];
    [d, id] = add_block(d, block.model);
endfunction

function [d, id] = add_delay(d)
    block = DOLLAR("define");
    block.model.in = 1; block.model.in2 = 1; block.model.out = 1; block.model.out2 = 1;
    [d, id] = add_block(d, block.model);
endfunction

function [d, id] = add_clock(d, period)
    block = EVTDLY_c("define");
    block.model.rpar = [period; 0];
    block.model.firing = 0;
    [d, id] = add_block(d, block.model);
    d = activate(d, id, id);
endfunction

// delay <- delay + 1 at each event
function [d, delay] = add_counter(d, from)
    [d, delay] = add_delay(d);
    [d, one] = add_constant(d, 1);
    [d, sum_] = add_sum(d, [1 1]);
    d = connect(d, delay, 1, sum_, 1);
    d = connect(d, one, 1, sum_, 2);
    d = connect(d, sum_, 1, delay, 1);
    d = activate(d, from, delay);
endfunction

function d = add_idle_clock(d)
    [d, clock] = add_clock(d, 0.1);
    [d, delay] = add_delay(d);
    [d, one] = add_constant(d, 1);
    d = connect(d, one, 1, delay, 1);
    d = activate(d, clock, delay);
endfunction

// CPU seconds of the simulator alone, the best of three; the compiled diagram afterwards.
function [best, state] = simulate(d, stop, tolerance, solver, hmax)
    n = size(d.blocks);
    cor = list(); corinv = list();
    for i = 1:n, cor(i) = i; corinv(i) = i; end
    compiled = c_pass2(d.blocks, d.links, d.events, cor, corinv, "silent");
    settings = [tolerance; tolerance; 1e-10; stop + 1; 0; solver; hmax];
    best = %inf;
    for k = 1:3
        state = compiled.state;
        timer();
        [state, t] = scicosim(state, 0, stop, compiled.sim, "start", settings);
        [state, t] = scicosim(state, t, stop, compiled.sim, "run", settings);
        best = min(best, timer());
        [state, t] = scicosim(state, t, stop, compiled.sim, "finish", settings);
    end
endfunction
