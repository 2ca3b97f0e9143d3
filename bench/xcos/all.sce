// SPDX-License-Identifier: Apache-2.0
// The models of bench/diagrams.cpp in Xcos: prints "peer NAME SECONDS" for each, then what its states hold at the end.
// Solvers: 0 LSodar, 4 CVODE Adams; each model has the faster of the two. The fixed-step ones lose by far, and the
// Dormand-Prince of Xcos does not keep the tolerance (a3 without its clock ends at 1e56).
loadXcosLibs();
funcprot(0);
exec(get_absolute_file_path("all.sce") + "diagram.sci", -1);

function report(name, d, stop, tolerance, solver, hmax)
    try
        [seconds, state] = simulate(d, stop, tolerance, solver, hmax);
        mprintf("peer %s %.6f\n", name, seconds);
        if size(state.x, "*") > 0 then mprintf("state %s %.9g %.9g\n", name, state.x(1), state.x($)); end
    catch
        mprintf("failed %s %s\n", name, lasterror());
    end
endfunction

function d = chain_of_lags(n, three_blocks)
    d = new_diagram();
    source = GENSIN_f("define");
    [d, from] = add_block(d, source.model);
    [d, gain] = add_gain(d, 1);
    d = connect(d, from, 1, gain, 1);
    from = gain;
    for i = 1:n
        if three_blocks then
            [d, sum_] = add_sum(d, [1 -1]);
            [d, gain] = add_gain(d, 10);
            [d, lag] = add_integral(d, 0, %f);
            d = connect(d, from, 1, sum_, 1);
            d = connect(d, sum_, 1, gain, 1);
            d = connect(d, gain, 1, lag, 1);
            d = connect(d, lag, 1, sum_, 2);
        else
            [d, lag] = add_lag(d);
            d = connect(d, from, 1, lag, 1);
        end
        from = lag;
    end
    d = add_idle_clock(d);
endfunction

function d = lorenz()
    d = new_diagram();
    [d, x] = add_integral(d, 1, %f);
    [d, y] = add_integral(d, 1, %f);
    [d, z] = add_integral(d, 1, %f);
    [d, difference] = add_sum(d, [1 -1]);
    [d, sigma] = add_gain(d, 10);
    [d, rho] = add_gain(d, 28);
    [d, beta_] = add_gain(d, 8 / 3);
    [d, xz] = add_product(d);
    [d, xy] = add_product(d);
    [d, dy] = add_sum(d, [1 -1 -1]);
    [d, dz] = add_sum(d, [1 -1]);
    pairs = [y difference 1; x difference 2; difference sigma 1; sigma x 1; x rho 1; rho dy 1; y dy 2; x xz 1; z xz 2
             xz dy 3; dy y 1; x xy 1; y xy 2; xy dz 1; z beta_ 1; beta_ dz 2; dz z 1];
    for k = 1:size(pairs, 1), d = connect(d, pairs(k, 1), 1, pairs(k, 2), pairs(k, 3)); end
    d = add_idle_clock(d);
endfunction

function d = delays(periods, counts)
    d = new_diagram();
    [d, from] = add_constant(d, 1);
    for r = 1:size(periods, "*")
        [d, clock] = add_clock(d, periods(r));
        for k = 1:counts(r)
            [d, delay] = add_delay(d);
            [d, gain] = add_gain(d, 0.999);
            d = connect(d, from, 1, delay, 1);
            d = connect(d, delay, 1, gain, 1);
            d = activate(d, clock, delay);
            from = gain;
        end
    end
endfunction

function d = counting()
    d = new_diagram();
    [d, clock] = add_clock(d, 0.001);
    [d, delay] = add_counter(d, clock);
endfunction

function d = ball()
    d = new_diagram();
    [d, y] = add_integral(d, 10, %f);
    [d, v] = add_integral(d, 0, %t);
    [d, gravity] = add_constant(d, -9.81);
    [d, reverse] = add_gain(d, -1);
    ground = POSTONEG_f("define");
    [d, ground] = add_block(d, ground.model);
    d = connect(d, gravity, 1, v, 1);
    d = connect(d, v, 1, reverse, 1);
    d = connect(d, reverse, 1, v, 2);
    d = connect(d, v, 1, y, 1);
    d = connect(d, y, 1, ground, 1);
    d = activate(d, ground, v);
    [d, delay] = add_counter(d, ground);
endfunction

function d = oscillators()
    d = new_diagram();
    for i = 0:19
        w = 1.1 + 0.1 * i;
        [d, x] = add_integral(d, 1, %f);
        [d, v] = add_integral(d, 0, %f);
        [d, stiffness] = add_gain(d, -w * w);
        zero = ZCROSS_f("define");
        zero.model.rpar = [0; 0; 0; 0];
        [d, zero] = add_block(d, zero.model);
        d = connect(d, v, 1, x, 1);
        d = connect(d, x, 1, stiffness, 1);
        d = connect(d, stiffness, 1, v, 1);
        d = connect(d, x, 1, zero, 1);
        [d, delay] = add_counter(d, zero);
    end
endfunction

report("a1", chain_of_lags(200, %f), 100, 1e-6, 4, 0);
report("a2", chain_of_lags(100, %t), 100, 1e-6, 4, 0);
report("a3", lorenz(), 1000, 1e-8, 0, 0);
report("b1", delays(0.001, 100), 100, 1e-6, 0, 0);
report("b2", delays([0.001 0.002 0.01], [50 30 20]), 100, 1e-6, 0, 0);
report("b3", counting(), 1000, 1e-6, 0, 0);
report("c1", ball(), 28560, 1e-8, 0, 0);
report("c2", oscillators(), 1000, 1e-8, 4, 0);
exit(0);
